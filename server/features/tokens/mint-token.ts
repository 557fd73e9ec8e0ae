import { CompactSign } from 'jose'
import type { Membership } from '../../core/access/access.ts'
import type { AuthenticatedApiKey } from '../../core/access/api-key.ts'
import type { Caller } from '../../core/access/caller.ts'
import { isStaff } from '../../core/access/staff-permissions.ts'
import type { Context } from '../../core/context.ts'
import { newToken } from '../../platform/crypto/tokens.ts'
import type { OrganizationRow } from '../../platform/database/tables.ts'
import { ALGORITHM } from './make-signing-key.ts'
import type { SigningKeys } from './signing-keys.ts'

/** Every service behind us checks for it. */
const AUDIENCE = 'accounts-services'
export const TOKEN_LIFETIME_SECONDS = 900

/** Who a token is about. */
export interface TokenSubject {
  id: string
  name: string
  email: string | null
  isStaff: boolean
  /** In the organization. */
  role: string
  /** The member of staff who acts as them. */
  impersonatedBy: string | null
}

export function subjectOfMember({ user, session }: Caller, { member }: Membership): TokenSubject {
  const { id, name, email } = user
  return { id, name, email, isStaff: isStaff(user), role: member.role, impersonatedBy: session.impersonatedBy }
}

/** A key is nobody: it has no address, and is never staff. */
export function subjectOfApiKey({ key }: AuthenticatedApiKey): TokenSubject {
  return { id: key.id, name: key.name, email: null, isStaff: false, role: key.role, impersonatedBy: null }
}

/**
 * A signed token (RFC 7519) that says who is calling, in which organization, in which role. The signature is made on
 * the thread pool, off the main thread.
 */
export async function mintToken(
  context: Context,
  keys: SigningKeys,
  subject: TokenSubject,
  organization: OrganizationRow,
): Promise<string> {
  const { kid, privateKey } = await keys.current()
  const issuedAtSeconds = Math.floor(context.now() / 1000)
  const claims = {
    iss: context.config.baseUrl,
    aud: AUDIENCE,
    sub: subject.id,
    email: subject.email,
    name: subject.name,
    org_id: organization.id,
    org_slug: organization.slug,
    org_role: subject.role,
    org_meta: { 'client-code': clientCode(organization) },
    is_staff: subject.isStaff,
    // RFC 8693, section 4.1: `sub` stays who the token is about, and `act` is who holds it.
    ...(subject.impersonatedBy !== null && { act: { sub: subject.impersonatedBy } }),
    iat: issuedAtSeconds,
    exp: issuedAtSeconds + TOKEN_LIFETIME_SECONDS,
    jti: newToken(context),
  }
  const token = await new CompactSign(Buffer.from(JSON.stringify(claims)))
    .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT', kid })
    .sign(privateKey)
  context.totals.increment('accounts_tokens_minted_total', organization.slug)
  return token
}

/** Nothing else of the metadata reaches a token, so that none can stand in for a claim of ours (CVE-2026-55669). */
function clientCode({ metadata }: OrganizationRow): string | null {
  const code = (JSON.parse(metadata ?? '{}') as Record<string, unknown>)['client-code']
  return typeof code === 'string' ? code : null
}
