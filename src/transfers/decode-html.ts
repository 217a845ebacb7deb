import { decodeHTMLStrict } from 'entities/decode';

/**
 * A text without its HTML escapes (`R&amp;D` is `R&D`), as accounts send titles and names (service
 * interface, appendix 2, R6). Named and numeric ones, decoded once, each only with its semicolon:
 * `a&copy.pdf` is left as it is.
 */
export function decodeHtml(text: string): string {
  return decodeHTMLStrict(text);
}
