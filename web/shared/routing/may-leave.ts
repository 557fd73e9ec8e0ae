/** Asks what the page shows. @returns false when the user wants to stay, see `useWarningBeforeLeaving` */
export function mayLeave(): boolean {
  return dispatchEvent(new Event('leave', { cancelable: true }))
}
