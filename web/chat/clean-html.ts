import DOMPurify from 'dompurify';

/** All that Markdown makes, and nothing that could do or fetch something. */
const allowed = {
  ALLOWED_TAGS: 'p br hr h3 h4 h5 h6 blockquote ul ol li pre code strong em del a table thead tbody tr th td'.split(
    ' ',
  ),
  ALLOWED_ATTR: ['href', 'title', 'start', 'align'],
  ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|#)/i,
  // Else they would have to be addresses too.
  ADD_URI_SAFE_ATTR: ['start', 'align'],
};

// A link opens beside the page, and the other side does not learn where it stood.
DOMPurify.addHook('afterSanitizeAttributes', (node) => {
  if (node.tagName === 'A') {
    node.setAttribute('target', '_blank');
    node.setAttribute('rel', 'noopener noreferrer');
  }
});

/** HTML without whatever could harm. */
export function cleanHtml(html: string): string {
  return DOMPurify.sanitize(html, allowed);
}
