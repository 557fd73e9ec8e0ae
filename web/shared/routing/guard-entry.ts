import { mayLeave } from './may-leave.ts'

type GuardState = { guardId?: number; guardedBy?: number } | null

/** The id of the last shown guard entry, or 0. After a reload or Forward, Back from a guard entry skips its page. */
let guardId = readState()?.guardId ?? 0
let hasAgreed = false

/**
 * Adds a second history entry for the page. Back then leaves only this entry, and the page can ask: browsers ask nothing
 * when Back stays within the pages. The Navigation API refuses Back only once, until the user clicks again.
 * The entry stays until the page is left, because going back moves the focus.
 */
export function addGuardEntry(): void {
  hasAgreed = false
  if (!isAtGuardEntry()) push()
}

/** Whether the user has agreed to go back. That may lead to another site, and the browser would ask again. */
export function hasAgreedToGoBack(): boolean {
  return hasAgreed
}

/** @returns whether the present entry is a guard entry. The next page must replace it. */
export function leaveGuardEntry(): boolean {
  const isLeft = isAtGuardEntry()
  if (isLeft) guardId = 0
  return isLeft
}

/** Replaces the page by a page of another site, without leaving an entry of this page behind. */
export function replacePage(url: string): void {
  const replace = () => location.replace(url)
  if (!leaveGuardEntry()) {
    replace()
    return
  }
  addEventListener('popstate', replace, { once: true })
  history.back()
}

addEventListener('popstate', () => {
  const { guardId: shownId = 0, guardedBy } = readState() ?? {}
  if (guardId === 0 || guardedBy !== guardId) {
    guardId = shownId
    hasAgreed = false
    return
  }
  if (!mayLeave()) {
    stay()
    return
  }
  guardId = 0
  hasAgreed = true
  history.back()
})

/** The browser moves the focus to the place that the fragment of the address names. */
function stay(): void {
  const focused = document.activeElement
  const focusAgain = () => focused instanceof HTMLElement && focused.focus({ preventScroll: true })
  addEventListener('popstate', () => requestAnimationFrame(focusAgain), { once: true })
  history.forward()
}

function isAtGuardEntry(): boolean {
  return guardId !== 0 && readState()?.guardId === guardId
}

function push(): void {
  const { guardId: _former, ...state } = readState() ?? {}
  guardId = Date.now()
  history.replaceState({ ...state, guardedBy: guardId }, '')
  history.pushState({ ...state, guardId }, '')
}

function readState(): GuardState {
  return history.state
}
