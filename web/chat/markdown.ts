import { Marked } from 'marked';

/** One block of an answer: code, or HTML that is not clean yet. */
export type Block =
  | { readonly kind: 'code'; readonly text: string; readonly language: string }
  | { readonly kind: 'html'; readonly html: string };

const marked = new Marked({
  gfm: true,
  renderer: {
    // What a model writes as HTML is shown as it is written.
    html: ({ text }) => escaped(text),
    checkbox: ({ checked }) => (checked ? '☑ ' : '☐ '),
    // The page has two levels of headings of its own.
    heading({ tokens, depth }) {
      const level = Math.min(depth + 2, 6);
      return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>\n`;
    },
    // A picture would be fetched from wherever the answer says: it becomes a link.
    image: ({ href, text }) => `<a href="${escaped(href)}">${escaped(text === '' ? href : text)}</a>`,
  },
});

/** The blocks of a text in Markdown. Of a text that grows, all but the last ones stay as they are. */
export function blocksOf(text: string): readonly Block[] {
  return marked.lexer(text).flatMap((token): readonly Block[] => {
    if (token.type === 'space' || token.type === 'def') return [];
    if (token.type !== 'code') return [{ kind: 'html', html: marked.parser([token]) }];
    const language = typeof token['lang'] === 'string' ? token['lang'] : '';
    return [{ kind: 'code', text: String(token['text']), language: language.split(/\s/, 1)[0] ?? '' }];
  });
}

const marks: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escaped(text: string): string {
  return text.replaceAll(/[&<>"]/g, (mark) => marks[mark] ?? mark);
}
