import type { ApiKeyRow } from '../../platform/database/tables.ts'
import type { PlannedOrganization } from './plan-organization.ts'
import type { Progress } from './progress.ts'
import { addFindings, type Finding, toFinding } from './report.ts'
import { keyOfMember, type OrganizationFacts } from './target-facts.ts'

/** Overwrites nothing. @returns the organizations to insert */
export function chooseOrganizations(
  progress: Progress,
  facts: OrganizationFacts,
  planned: PlannedOrganization[],
): PlannedOrganization[] {
  const { counts, findings } = progress.report
  const chosen: PlannedOrganization[] = []
  for (const one of planned) {
    const { id, slug } = one.organization
    const isHere = facts.slugById.get(id) === slug
    const problem = isHere ? undefined : findProblem(progress, facts, one)
    if (problem !== undefined) {
      findings.push(toFinding('organization', id, problem))
      continue
    }
    progress.slugs.add(slug)
    addFindings(progress.report, one.findings)
    if (!isHere) {
      chosen.push(chooseParts(progress, facts, one))
      continue
    }
    counts['organizations that are here already'] += 1
    addFindings(progress.report, listAbsent(progress, facts, one))
  }
  counts.organizations += chosen.length
  counts.memberships += chosen.flatMap(({ members }) => members).length
  counts.invitations += chosen.flatMap(({ invitations }) => invitations).length
  counts['API keys'] += chosen.flatMap(({ apiKeys }) => apiKeys).length
  return chosen
}

/** Absent rows are reported and not added, because the owners may have deleted them. */
function listAbsent(
  progress: Progress,
  facts: OrganizationFacts,
  { organization, members, invitations, apiKeys }: PlannedOrganization,
): Finding[] {
  const absentMembers = members.filter((member) => !facts.members.has(keyOfMember(member)))
  const absentInvitations = invitations.filter(({ id }) => facts.organizationIdByInvitation.get(id) !== organization.id)
  const absentKeys = apiKeys.filter(({ id }) => facts.organizationIdByApiKey.get(id) !== organization.id)
  const isHere = 'the organization is here already'
  return [
    ...absentMembers.map(({ userId, organizationId }) =>
      toFinding(
        'member',
        `${userId} of ${organizationId}`,
        `${isHere}, without this member: unless the user was removed here, an owner sends an invitation`,
      ),
    ),
    ...absentInvitations.map(({ id }) =>
      toFinding(
        'invitation',
        id,
        findInvitationProblem(facts, id) ??
          `${isHere}, without this invitation: unless it was canceled here, an owner sends another one`,
      ),
    ),
    ...absentKeys.map((apiKey) =>
      toFinding(
        'API key',
        apiKey.id,
        findApiKeyProblem(progress, facts, apiKey) ??
          `${isHere}, without this API key: unless it was deleted here, an owner creates another one`,
      ),
    ),
  ]
}

function findProblem(
  progress: Progress,
  facts: OrganizationFacts,
  { organization: { id, slug } }: PlannedOrganization,
): string | undefined {
  if (facts.slugById.has(id)) return 'an organization with this id is here, with another slug'
  if (facts.deletedIds.has(id)) return 'the organization was deleted here'
  if (facts.slugs.has(slug)) return 'another organization here has this slug: change it in the source and import again'
  return progress.slugs.has(slug) ? 'an older organization of the source has this slug' : undefined
}

function chooseParts(progress: Progress, facts: OrganizationFacts, one: PlannedOrganization): PlannedOrganization {
  const { findings } = progress.report
  const invitations = one.invitations.filter(({ id }) => {
    const problem = findInvitationProblem(facts, id)
    if (problem !== undefined) findings.push(toFinding('invitation', id, problem))
    return problem === undefined
  })
  const apiKeys = one.apiKeys.filter((apiKey) => {
    const problem = findApiKeyProblem(progress, facts, apiKey)
    if (problem !== undefined) findings.push(toFinding('API key', apiKey.id, problem))
    progress.apiKeyHashes.add(apiKey.keyHash)
    return problem === undefined
  })
  return { ...one, invitations, apiKeys }
}

function findInvitationProblem(facts: OrganizationFacts, id: string): string | undefined {
  return facts.organizationIdByInvitation.has(id) ? 'an invitation with this id is here already' : undefined
}

function findApiKeyProblem(
  progress: Progress,
  facts: OrganizationFacts,
  { id, keyHash }: Pick<ApiKeyRow, 'id' | 'keyHash'>,
): string | undefined {
  if (facts.organizationIdByApiKey.has(id) || facts.apiKeyHashes.has(keyHash) || progress.apiKeyHashes.has(keyHash))
    return 'the API key is here already'
  // The claim `sub` of a token has the id of a user or of an API key, so the ids must differ.
  return facts.userIds.has(id) ? 'a user here has the same id' : undefined
}
