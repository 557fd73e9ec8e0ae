/** Scrolls to a notice that has appeared out of view. A sticky notice is in view. */
export function showInView(notice: HTMLElement | null): void {
  if (notice !== null && getComputedStyle(notice).position !== 'sticky') notice.scrollIntoView({ block: 'nearest' })
}
