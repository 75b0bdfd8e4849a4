import { useMemo } from 'preact/hooks';
import { cleanHtml } from './clean-html.ts';
import { CodeBlock } from './code-block.tsx';
import { blocksOf } from './markdown.ts';

/** Renders Markdown. While the text grows, only the last blocks are rendered again. */
export function MarkdownView({ text }: { readonly text: string }) {
  const blocks = useMemo(() => blocksOf(text), [text]);
  return (
    <div class="markdown">
      {blocks.map((block, at) =>
        block.kind === 'code' ? (
          <CodeBlock key={at} text={block.text} language={block.language} />
        ) : (
          <HtmlBlock key={at} html={block.html} />
        ),
      )}
    </div>
  );
}

function HtmlBlock({ html }: { readonly html: string }) {
  const clean = useMemo(() => cleanHtml(html), [html]);
  return <div dangerouslySetInnerHTML={{ __html: clean }} />;
}
