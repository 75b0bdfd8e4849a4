/** What the model thought before its answer, folded. */
export function Reasoning({ text, isGoingOn }: { readonly text: string; readonly isGoingOn: boolean }) {
  return (
    <details class="reasoning">
      <summary>{isGoingOn ? 'Reasoning …' : 'Reasoning'}</summary>
      <p class="said">{text}</p>
    </details>
  );
}
