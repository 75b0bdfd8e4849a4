/** The reasoning of the model, collapsed. */
export function Reasoning({ text, isGoingOn }: { readonly text: string; readonly isGoingOn: boolean }) {
  return (
    <details class="reasoning">
      <summary>{isGoingOn ? 'Reasoning…' : 'Reasoning'}</summary>
      <p class="plain-text">{text}</p>
    </details>
  );
}
