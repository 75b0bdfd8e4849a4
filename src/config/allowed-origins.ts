import { z } from 'zod';

const wanted = 'must be an origin such as https://app.example.com, without a path, or * for all';

const origins = z.string({ error: wanted }).transform((written, context) =>
  written.split(',').map((part) => {
    const origin = part.trim();
    if (origin === '*' || (isWebAddress(origin) && new URL(origin).origin === origin.toLowerCase()))
      return origin.toLowerCase();
    context.addIssue(wanted);
    return origin;
  }),
);

function isWebAddress(text: string): boolean {
  return /^https?:\/\/[^*]+$/i.test(text) && URL.canParse(text);
}

/** Origins of web pages; a text may hold several, with commas between them, and `*` stands alone. */
export const allowedOrigins = z.array(origins).transform((items, context) => {
  const all = items.flat();
  if (all.length > 1 && all.includes('*')) context.addIssue('must have * alone, which stands for all origins');
  return all;
});
