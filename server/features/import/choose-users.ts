import type { UserRow } from '../../platform/database/tables.ts'
import type { PlannedUser } from './plan-user.ts'
import type { Progress } from './progress.ts'
import { addFindings, type Finding, toFinding } from './report.ts'
import type { UserFacts } from './target-facts.ts'

const TAKEN = 'the passkey is here already'
const ABSENT = 'the user is here already, without this passkey: unless it was deleted here, the user adds it again'

/** Overwrites nothing. @returns the users to insert */
export function chooseUsers(progress: Progress, facts: UserFacts, planned: PlannedUser[]): PlannedUser[] {
  const { counts, findings } = progress.report
  const chosen: PlannedUser[] = []
  for (const one of planned) {
    const { id, email } = one.user
    const isHere = isSameUser(facts.byId.get(id), one.user)
    const problem = isHere ? undefined : findProblem(progress, facts, one)
    if (problem !== undefined) {
      findings.push(toFinding('user', id, problem))
      continue
    }
    progress.userIds.add(id)
    progress.emails.add(email)
    addFindings(progress.report, one.findings)
    if (!isHere) {
      chosen.push({ ...one, passkeys: choosePasskeys(progress, facts, one) })
      continue
    }
    counts['users that are here already'] += 1
    addFindings(progress.report, listAbsentPasskeys(facts, one))
  }
  counts.users += chosen.length
  counts.passwords += chosen.filter(({ account }) => account).length
  counts.passkeys += chosen.flatMap(({ passkeys }) => passkeys).length
  return chosen
}

/**
 * A user of another source may have the same id, so the email address or the time of creation must be equal, too. The
 * time is not enough if the id is a number. Numbers repeat in each source, and so do the times of users who were loaded
 * together.
 */
function isSameUser(
  here: Pick<UserRow, 'email' | 'createdAt'> | undefined,
  { id, email, createdAt }: Pick<UserRow, 'id' | 'email' | 'createdAt'>,
): boolean {
  return here?.email === email || (here?.createdAt === createdAt && !/^\d+$/.test(id))
}

function findProblem(progress: Progress, facts: UserFacts, { user: { id, email } }: PlannedUser): string | undefined {
  if (facts.byId.has(id)) return 'a user with this id is here, with another email address'
  // A second run must not bring back a user who was deleted after the first one.
  if (facts.deletedIds.has(id)) return 'the user was deleted here'
  // The claim `sub` of a token has the id of a user or of an API key, so the ids must differ.
  if (facts.apiKeyIds.has(id)) return 'an API key here has the same id'
  if (facts.emails.has(email)) return 'another user here has this email address'
  return progress.emails.has(email) ? 'an older user of the source has this email address' : undefined
}

/** Absent passkeys are reported and not added, because the user may have deleted them. */
function listAbsentPasskeys(facts: UserFacts, { user: { id }, passkeys }: PlannedUser): Finding[] {
  const absent = passkeys.filter(({ credentialID }) => facts.userIdByCredential.get(credentialID) !== id)
  return absent.map(({ credentialID }) =>
    toFinding('passkey', `of user ${id}`, facts.userIdByCredential.has(credentialID) ? TAKEN : ABSENT),
  )
}

function choosePasskeys(
  progress: Progress,
  facts: UserFacts,
  { user, passkeys }: PlannedUser,
): PlannedUser['passkeys'] {
  return passkeys.filter(({ credentialID }) => {
    const isTaken = facts.userIdByCredential.has(credentialID) || progress.credentialIds.has(credentialID)
    if (isTaken) progress.report.findings.push(toFinding('passkey', `of user ${user.id}`, TAKEN))
    progress.credentialIds.add(credentialID)
    return !isTaken
  })
}
