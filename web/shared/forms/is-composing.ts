/**
 * Whether a key belongs to an input method, as Enter that ends the composition of a Japanese word. Safari ends the
 * composition before the event, and only the key code 229 tells (UI Events, section 7.3.1).
 */
export function isComposing(event: Pick<KeyboardEvent, 'isComposing' | 'keyCode'>): boolean {
  return event.isComposing || event.keyCode === 229
}
