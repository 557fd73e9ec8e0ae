/** The first control that can take the focus. Forms with a password begin with a hidden field for password managers. */
export function findFirstControl(place: HTMLElement | null): HTMLElement | null {
  return place?.querySelector<HTMLElement>(':is(input, select, textarea, button):not([hidden])') ?? null
}
