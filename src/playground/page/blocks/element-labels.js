import { plainText } from './text-object.js';

/** What stands in an element that is empty. */
export function placeholderOf({ placeholder }) {
  return plainText(placeholder) || 'Choose…';
}

/** An element's accessible name, unless a label beside it gives one. */
export function labelOf({ shownLabel, accessibility_label: label, placeholder }) {
  return label ?? (shownLabel ? null : plainText(placeholder) || null);
}
