/** Asks the parts of the page (see `useWarningBeforeLeaving`). @returns false if the user wants to stay */
export function mayLeave(): boolean {
  return dispatchEvent(new Event('leave', { cancelable: true }))
}
