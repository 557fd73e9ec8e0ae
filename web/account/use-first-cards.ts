import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { canUsePasskeys } from '../shared/api/passkey-sign-in.ts'
import { passkeysQuery } from '../shared/api/passkeys.ts'
import type { Caller } from '../shared/api/queries.ts'
import { twoStepQuery } from '../shared/api/two-step.ts'
import { useFirstLoad } from '../shared/api/use-first-load.ts'
import { useReceivedInvitationsQuery } from '../shared/api/use-received-invitations.ts'
import { isNudgeDismissed } from './dismissed-nudge.ts'

const verifyingDeviceQuery = {
  queryKey: ['device verifies its user'],
  queryFn: () => PublicKeyCredential.isUserVerifyingPlatformAuthenticatorAvailable(),
}

export function useNudge({ user, session }: Caller): { queries: UseQueryResult[]; isShown: boolean } {
  const isOffered = canUsePasskeys && !session.impersonatedBy && !isNudgeDismissed(user.id)
  const passkeys = useQuery({ ...passkeysQuery, enabled: isOffered })
  const device = useQuery({ ...verifyingDeviceQuery, enabled: isOffered })
  return {
    queries: [passkeys, device],
    isShown: isOffered && device.data === true && passkeys.data?.length === 0,
  }
}

/** Whether the account page may still get cards above the others. */
export function useFirstCardsLoading(caller: Caller): boolean {
  const { session } = caller
  const nudge = useNudge(caller)
  const invitations = useReceivedInvitationsQuery()
  const twoStep = useQuery({ ...twoStepQuery, enabled: !session.impersonatedBy })
  return useFirstLoad([...nudge.queries, invitations, twoStep])
}
