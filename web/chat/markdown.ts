import { Marked } from 'marked';

/** One block of a response: code, or HTML that is not sanitized yet. */
export type Block =
  | { readonly kind: 'code'; readonly text: string; readonly language: string }
  | { readonly kind: 'html'; readonly html: string };

const marked = new Marked({
  gfm: true,
  renderer: {
    // HTML in a response is shown as text.
    html: ({ text }) => escaped(text),
    checkbox: ({ checked }) => (checked ? '☑ ' : '☐ '),
    // The web UI itself uses the first two heading levels.
    heading({ tokens, depth }) {
      const level = Math.min(depth + 2, 6);
      return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>\n`;
    },
    // An image would be fetched from any host that the response names. It becomes a link.
    image: ({ href, text }) => `<a href="${escaped(href)}">${escaped(text === '' ? href : text)}</a>`,
  },
});

/** The blocks of a Markdown text. While the text grows, all but the last ones stay the same. */
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
