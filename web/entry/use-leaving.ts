import { useEffect, useEffectEvent, useState } from 'react'
import { useLocation } from 'wouter'
import { noteAutomaticLeave } from './asks-again.ts'
import { leaveSignIn, type Ways } from './leave-sign-in.ts'

type Leaving = {
  /** Whether the browser is signed in, and the page has nothing to ask. */
  isAutomatic: boolean
  isForApp: boolean
  ways: Ways
}

/** Takes a signed-in user on: at once, or when the page calls `leave` after it has signed the user in. */
export function useLeaving({ isAutomatic, isForApp, ways }: Leaving) {
  const [, navigate] = useLocation()
  const [hasLeft, setLeft] = useState(false)

  /** Must run once only: the address that resumes an interaction works a single time. */
  function leave() {
    setLeft(true)
    void leaveSignIn(navigate, ways)
  }

  const leaveAutomatically = useEffectEvent(() => {
    if (hasLeft) return
    if (isForApp) noteAutomaticLeave()
    leave()
  })
  useEffect(() => {
    if (isAutomatic) leaveAutomatically()
  }, [isAutomatic])

  return { isLeaving: hasLeft || isAutomatic, leave }
}
