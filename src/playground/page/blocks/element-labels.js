import { plainText } from './text-object.js';

/** Returns the placeholder of an empty element. */
export function placeholderOf({ placeholder }) {
  return plainText(placeholder) || 'Choose…';
}

/** Returns an element's accessible name; null if a visible label gives it, or there is none. */
export function labelOf({ shownLabel, accessibility_label: label, placeholder }) {
  return label ?? (shownLabel ? null : plainText(placeholder) || null);
}
