import type { Account } from 'oidc-provider'
import { claimsOfUser } from '../common/claims.ts'
import type { OpenIdContext } from '../common/openid-context.ts'
import { getRequestState } from '../common/request-state.ts'
import { findGrantSubject } from '../grants/grant-subject.ts'

/** @param token undefined at the authorization endpoint */
export async function findAccount(
  context: OpenIdContext,
  userId: string,
  token: object | undefined,
): Promise<Account | undefined> {
  const { caller, membership } = getRequestState()
  const grantId = (token as { grantId?: string } | undefined)?.grantId
  const subject = grantId === undefined ? caller : await findGrantSubject(context, grantId)
  if (subject?.user.id !== userId) return undefined
  const organization = 'grant' in subject ? subject.membership : membership
  return {
    accountId: userId,
    claims: async () => ({ sub: userId, ...claimsOfUser(subject, organization) }),
  }
}
