import { SignJWT } from 'jose'
import type { Context } from '../context.ts'
import type { OrganizationRow } from '../database/tables.ts'
import type { Membership } from '../http/access.ts'
import type { Caller } from '../http/caller.ts'
import { newToken } from '../secrets/tokens.ts'
import { isStaff } from '../staff/roles.ts'
import { ALGORITHM, type SigningKeys } from './signing-keys.ts'

/** Every service behind us checks for it. */
const AUDIENCE = 'accounts-services'
const TOKEN_LIFETIME_SECONDS = 900

/**
 * A signed token (RFC 7519) that says who is calling, in which organization, in which role. The signature is made on
 * the thread pool, off the main thread.
 */
export async function mintToken(
  context: Context,
  keys: SigningKeys,
  { user }: Caller,
  { organization, member }: Membership,
): Promise<string> {
  const { kid, privateKey } = await keys.current()
  const issuedAtSeconds = Math.floor(context.now() / 1000)
  return new SignJWT({
    email: user.email,
    name: user.name,
    org_id: organization.id,
    org_slug: organization.slug,
    org_role: member.role,
    org_meta: { 'client-code': clientCode(organization) },
    is_staff: isStaff(user),
  })
    .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT', kid })
    .setSubject(user.id)
    .setIssuer(context.config.baseUrl)
    .setAudience(AUDIENCE)
    .setIssuedAt(issuedAtSeconds)
    .setExpirationTime(issuedAtSeconds + TOKEN_LIFETIME_SECONDS)
    .setJti(newToken(context))
    .sign(privateKey)
}

/** Nothing else of the metadata reaches a token, so that none can stand in for a claim of ours (CVE-2026-55669). */
function clientCode({ metadata }: OrganizationRow): string | null {
  const code = (JSON.parse(metadata ?? '{}') as Record<string, unknown>)['client-code']
  return typeof code === 'string' ? code : null
}
