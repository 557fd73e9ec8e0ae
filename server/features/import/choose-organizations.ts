import type { PlannedOrganization } from './plan-organization.ts'
import type { Progress } from './progress.ts'
import { toFinding } from './report.ts'
import type { OrganizationFacts } from './target-facts.ts'

/** Nothing is overwritten: a conflict is a finding. @returns the organizations to insert */
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
    findings.push(...one.findings)
    if (isHere) counts['organizations that are here already'] += 1
    else chosen.push(chooseParts(progress, facts, one))
  }
  counts.organizations += chosen.length
  counts.memberships += chosen.flatMap(({ members }) => members).length
  counts.invitations += chosen.flatMap(({ invitations }) => invitations).length
  counts['API keys'] += chosen.flatMap(({ apiKeys }) => apiKeys).length
  return chosen
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
    if (facts.invitationIds.has(id))
      findings.push(toFinding('invitation', id, 'an invitation with this id is here already'))
    return !facts.invitationIds.has(id)
  })
  const apiKeys = one.apiKeys.filter(({ id, keyHash }) => {
    const isTaken = facts.apiKeyIds.has(id) || facts.apiKeyHashes.has(keyHash) || progress.apiKeyHashes.has(keyHash)
    if (isTaken) findings.push(toFinding('API key', id, 'the API key is here already'))
    progress.apiKeyHashes.add(keyHash)
    return !isTaken
  })
  return { ...one, invitations, apiKeys }
}
