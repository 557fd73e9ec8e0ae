import { Value } from 'typebox/value'
import { MEMBERS_MAXIMUM } from '../../core/memberships/add-member.ts'
import { Slug } from '../../core/organizations/slug.ts'
import { newId, type Randomness } from '../../platform/crypto/tokens.ts'
import type { ApiKeyRow, InvitationRow, MemberRow, OrganizationRow } from '../../platform/database/tables.ts'
import { API_KEYS_MAXIMUM } from '../organizations/api-keys/create-api-key.ts'
import { parseOrganizationMetadata } from '../organizations/organizations/metadata.ts'
import { toId, toName, toPicture } from './convert-fields.ts'
import { planApiKeys } from './plan-api-keys.ts'
import { planInvitations } from './plan-invitations.ts'
import { type Finding, toFinding } from './report.ts'
import { toOrganizationRole } from './roles.ts'
import type { SourceMember, SourceOrganization } from './source-rows.ts'
import { isUnreadableTime, readTime } from './source-time.ts'

export interface PlannedOrganization {
  organization: OrganizationRow
  members: MemberRow[]
  invitations: InvitationRow[]
  apiKeys: ApiKeyRow[]
  findings: Finding[]
}

export interface SourceUserIds {
  sourceUserIds: Set<string>
  /** Ids of the users that this or an earlier import has inserted, and that still exist. */
  userIds: Set<string>
}

/** @returns a finding for an organization that can't be imported */
export function planOrganization(
  randomness: Randomness,
  source: SourceOrganization,
  { sourceUserIds, userIds }: SourceUserIds,
): PlannedOrganization | Finding {
  const id = toId(source.id)
  if (id === undefined)
    return toFinding('organization', source.id, 'the id has more than 64 characters, or other than ASCII')
  const slug = source.slug ?? ''
  if (!Value.Check(Slug, slug))
    return toFinding(
      'organization',
      `${id} with the slug "${slug}"`,
      'the slug is not one that Accounts accepts: change it and import again',
    )

  const findings: Finding[] = []
  const report = (finding: Finding) => findings.push(finding)
  const members = planMembers(randomness, id, source.members, userIds, report)
  const owner = findOldestOwner(members)
  if (!owner)
    return toFinding(
      'organization',
      id,
      'it has no owner who can be imported: make a member its owner and import again',
    )
  const organization = toOrganization(randomness, id, slug, source, (problem) =>
    report(toFinding('organization', id, problem)),
  )
  const invitations = planInvitations(randomness, id, source.invitations, members, report)
  const apiKeys = planApiKeys(randomness, owner, source.apiKeys, (keyId) => sourceUserIds.has(keyId), report)
  for (const problem of listExcesses(members, apiKeys)) report(toFinding('organization', id, problem))
  return { organization, members, invitations, apiKeys, findings }
}

/** The id decides between owners of the same time: the source lists members in any order. */
function findOldestOwner(members: MemberRow[]): MemberRow | undefined {
  const owners = members.filter(({ role }) => role === 'owner')
  return owners.toSorted((a, b) => a.createdAt - b.createdAt || (a.userId < b.userId ? -1 : 1))[0]
}

/** The limits that the rows exceed. All rows are imported: a user or a machine without its row would lose access. */
function listExcesses(members: MemberRow[], apiKeys: ApiKeyRow[]): string[] {
  return [
    ...(members.length > MEMBERS_MAXIMUM
      ? [`there are more members than the limit of ${MEMBERS_MAXIMUM}: all are imported, and no other user can join`]
      : []),
    ...(apiKeys.length > API_KEYS_MAXIMUM
      ? [
          `there are more API keys than the limit of ${API_KEYS_MAXIMUM}: all are imported, and no other one can be created`,
        ]
      : []),
  ]
}

function toOrganization(
  randomness: Randomness,
  id: string,
  slug: string,
  source: SourceOrganization,
  report: (problem: string) => void,
): OrganizationRow {
  const name = toName(source.name)
  if (name === undefined) report('the name is refused, and "Organization" replaces it')
  const logo = toPicture(source.logo)
  if (source.logo && logo === undefined) report('the logo is no address of a picture, and is not imported')
  if (isUnreadableTime(source.createdAt)) report("the time of creation can't be read: that of the import replaces it")
  const createdAt = readTime(source.createdAt) ?? randomness.now()
  const metadata = toMetadata(source.metadata, report)
  return { id, name: name ?? 'Organization', slug, logo: logo ?? null, metadata, createdAt, requireTwoFactor: 0 }
}

function toMetadata(text: string | null | undefined, report: (problem: string) => void): string | null {
  try {
    return parseOrganizationMetadata(text || null, 'metadata')
  } catch {
    report('the metadata is refused, and is not imported')
    return null
  }
}

function planMembers(
  randomness: Randomness,
  organizationId: string,
  members: SourceMember[],
  userIds: Set<string>,
  report: (finding: Finding) => void,
): MemberRow[] {
  const byUser = new Map<string, MemberRow>()
  for (const source of members) {
    const { userId } = source
    const { role, unknown } = toOrganizationRole(source.role)
    const where = `${userId} of ${organizationId}`
    if (!userIds.has(userId)) report(toFinding('member', where, 'the user is not imported'))
    else if (byUser.has(userId))
      report(toFinding('member', where, 'the user is a member twice, and the first membership is imported'))
    else {
      if (unknown) report(toFinding('member', where, `the role "${unknown}" is unknown, and is not imported`))
      const createdAt = readTime(source.createdAt) ?? randomness.now()
      byUser.set(userId, { id: newId('mem', randomness), userId, organizationId, role, createdAt, lastUsedAt: null })
    }
  }
  return [...byUser.values()]
}
