import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { canUsePasskeys } from '../shared/api/passkey-sign-in.ts'
import { passkeysQuery } from '../shared/api/passkeys.ts'
import { type Caller, receivedInvitationsQuery } from '../shared/api/queries.ts'
import { twoStepQuery } from '../shared/api/two-step.ts'
import { isNudgeDismissed } from './dismissed-nudge.ts'

const verifyingDeviceQuery = {
  queryKey: ['device verifies its user'],
  queryFn: () => PublicKeyCredential.isUserVerifyingPlatformAuthenticatorAvailable(),
}

/** Whether the account page suggests a passkey to the user. */
export function useNudge({ user, session }: Caller): { isLoading: boolean; isShown: boolean } {
  const isOffered = canUsePasskeys && !session.impersonatedBy && !isNudgeDismissed(user.id)
  const passkeys = useQuery({ ...passkeysQuery, enabled: isOffered })
  const device = useQuery({ ...verifyingDeviceQuery, enabled: isOffered })
  return {
    isLoading: isFirstTry(passkeys) || isFirstTry(device),
    isShown: isOffered && device.data === true && passkeys.data?.length === 0,
  }
}

/**
 * Whether the account page may still get cards above the others, which would move them. Later, for example after the
 * email address was verified, a new card moves the others rather than taking a form with its input away.
 */
export function useFirstCardsLoading(caller: Caller): boolean {
  const { user, session } = caller
  const nudge = useNudge(caller)
  const invitations = useQuery({ ...receivedInvitationsQuery, enabled: user.emailVerified })
  const twoStep = useQuery({ ...twoStepQuery, enabled: !session.impersonatedBy })
  const isLoading = nudge.isLoading || isFirstTry(invitations) || isFirstTry(twoStep)
  const [hasLoaded, setLoaded] = useState(false)
  if (!isLoading && !hasLoaded) setLoaded(true)
  return isLoading && !hasLoaded
}

/** A request that failed once may fail for long, and the page does not wait for it. */
function isFirstTry({ isLoading, failureCount }: UseQueryResult): boolean {
  return isLoading && failureCount === 0
}
