/**
 * To be evaluated in a page: the elements, including the page itself, that scroll sideways or reach
 * beyond it.
 */
export const SCROLLS_SIDEWAYS = `[...document.querySelectorAll('*')]
  .filter((one) => one.checkVisibility() && !one.closest('.unseen, svg'))
  .filter((one) => {
    const clips = ['auto', 'scroll'].includes(getComputedStyle(one).overflowX) || one === document.documentElement;
    return clips && one.scrollWidth > one.clientWidth + 1;
  })
  .map((one) => one.id || one.className || one.tagName)`;
