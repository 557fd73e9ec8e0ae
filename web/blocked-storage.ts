/** While the user blocks the cookies and data of this site, Firefox throws at the channel and at both storages. */
export function isStorageBlocked(): boolean {
  try {
    new BroadcastChannel('storage').close()
    return !(navigator.cookieEnabled && sessionStorage && localStorage)
  } catch {
    return true
  }
}

/** Shows the advice in the shell of the document, because every page reads the storage when it loads. */
export function explainBlockedStorage(): void {
  const card = document.querySelector('.card')
  if (!card) return
  card.setAttribute('role', 'alert')
  card.textContent = 'This page needs cookies. Please allow cookies and data for this site and load the page again.'
}
