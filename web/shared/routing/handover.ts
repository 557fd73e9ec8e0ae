import { useHistoryState } from 'wouter/use-browser-location'
import type { SecondStep } from '../api/sign-in.ts'

/** Data for the next page. The history stores it, so a reload keeps it. */
export type Handover = {
  /** Sign-in returns to this page. */
  returnTo?: string
  notice?: string
  /** The email address that the user typed before. */
  email?: string
  /** Sign-in: the password was right, and a code is due. */
  secondStep?: SecondStep
  /** Sign-in: why the password is due again. */
  expired?: string
  /** Device: this code exists, and the user has compared it. */
  checkedCode?: string
}

export function handover(): Handover {
  return history.state ?? {}
}

export function useHandover(): Handover {
  return useHistoryState<Handover | null>() ?? {}
}
