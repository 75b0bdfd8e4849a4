import DOMPurify from 'dompurify';

/** What Markdown produces, and nothing that runs or fetches anything. */
const allowed = {
  ALLOWED_TAGS: 'p br hr h3 h4 h5 h6 blockquote ul ol li pre code strong em del a table thead tbody tr th td'.split(
    ' ',
  ),
  ALLOWED_ATTR: ['href', 'title', 'start', 'align'],
  ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|#)/i,
  // Otherwise DOMPurify checks them as URLs.
  ADD_URI_SAFE_ATTR: ['start', 'align'],
};

// Links open in a new tab and send no referrer.
DOMPurify.addHook('afterSanitizeAttributes', (node) => {
  if (node.tagName === 'A') {
    node.setAttribute('target', '_blank');
    node.setAttribute('rel', 'noopener noreferrer');
  }
});

/** Sanitized HTML. */
export function cleanHtml(html: string): string {
  return DOMPurify.sanitize(html, allowed);
}
