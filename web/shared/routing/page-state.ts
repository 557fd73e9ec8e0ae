import { useEffect, useState } from 'react'
import { useHistoryState } from 'wouter/use-browser-location'
import type { SecondStep } from '../api/sign-in.ts'

/** Data for the next page. The history stores it, so a reload keeps it, except for a notice in the frame. */
export type PageState = {
  /** The page to which sign-in returns. */
  returnTo?: string
  /** The id of the user whose session ended on that page. Sign-in takes other users to their account. */
  returningUserId?: string
  notice?: string
  /** As `notice`, for a change that failed. */
  problem?: string
  /** The email address that the user typed before. */
  email?: string
  /** For sign-in: whether the user wants to stay signed in. */
  isKept?: boolean
  /** For sign-in: whether the user trusts the device, which then needs no code. */
  isTrusted?: boolean
  /** For sign-in: the password was right, and the user must enter a code. */
  secondStep?: SecondStep
  /** For sign-in: why the user must enter the password again. */
  expired?: string
  /** For the page of devices: a code that exists, and that the user has compared. */
  checkedCode?: string
}

export function pageState(): PageState {
  return history.state ?? {}
}

export function addToPageState(added: PageState): void {
  history.replaceState({ ...pageState(), ...added } satisfies PageState, '')
}

/** Shows a notice on the present page, which the user may have opened during the request of the notice. */
export function showNotice(notice: string): void {
  addToPageState({ notice })
}

/** Shows why a change failed whose form is not on the page any more. */
export function showProblem(problem: string): void {
  addToPageState({ problem })
}

/** Hides the notices of the page, before another outcome. */
export function hideNotices(): void {
  addToPageState({ notice: '', problem: '' })
}

/**
 * The notice for the page. The history forgets it at once, so that a reload and Back do not show it again.
 * @returns the notice, and a function that hides it
 */
export function useNotice(kind: 'notice' | 'problem'): [notice: string | undefined, hide: () => void] {
  const { [kind]: newest } = usePageState()
  const [notice, setNotice] = useState(newest)
  if (newest !== undefined && newest !== notice) setNotice(newest)
  useEffect(() => {
    if (newest === undefined) return
    const { [kind]: _shown, ...others } = pageState()
    history.replaceState(others, '')
  }, [kind, newest])
  return [notice, () => setNotice(undefined)]
}

export function usePageState(): PageState {
  return useHistoryState<PageState | null>() ?? {}
}
