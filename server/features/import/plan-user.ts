import { BAN_REASON_LENGTH_MAXIMUM } from '../../core/field-limits.ts'
import { NOT_BANNED } from '../../core/users/banned.ts'
import type { Randomness } from '../../platform/crypto/tokens.ts'
import type { AccountRow, PasskeyRow, SecondStepRow, UserRow } from '../../platform/database/tables.ts'
import { PASSKEYS_PER_USER_MAXIMUM } from '../account/passkeys/store-passkey.ts'
import { findSubjectProblem, toEmailAddress, toId, toLine, toName, toPicture } from './convert-fields.ts'
import { planPasskeys } from './plan-passkeys.ts'
import { planPassword } from './plan-password.ts'
import { type ConvertSecret, planSecondStep } from './plan-second-step.ts'
import { type Finding, toFinding } from './report.ts'
import { toServiceRole } from './roles.ts'
import { readFlag, type SourceUser } from './source-rows.ts'
import { isUnreadableTime, readTime } from './source-time.ts'

export interface PlannedUser {
  user: UserRow
  account: AccountRow | undefined
  passkeys: PasskeyRow[]
  secondStep: SecondStepRow | undefined
  findings: Finding[]
}

/** @returns a finding for a user who can't be imported */
export function planUser(
  randomness: Randomness,
  source: SourceUser,
  convertSecret: ConvertSecret,
): PlannedUser | Finding {
  const id = toId(source.id)
  if (id === undefined) return toFinding('user', source.id, 'the id has more than 64 characters, or other than ASCII')
  const problem = findSubjectProblem(id) ?? findAnonymity(source)
  if (problem !== undefined) return toFinding('user', id, problem)
  const email = toEmailAddress(source.email)
  if (email === undefined) return toFinding('user', id, 'the email address is not one that Accounts accepts')

  const findings: Finding[] = []
  const report = (problem: string) => findings.push(toFinding('user', id, problem))
  const name = toName(source.name)
  if (name === undefined) report('the name is refused, and "User" replaces it')
  const image = toPicture(source.image)
  if (source.image && image === undefined)
    report('the image is no address of a picture that Accounts accepts, and is not imported')
  const secondStep = planSecondStep(id, source, randomness.now(), convertSecret, report)
  const isVerified = readFlag(source.emailVerified)
  if (isVerified === undefined) report('the column "emailVerified" can\'t be read: the email address is not verified')
  const { role, unknown } = toServiceRole(source.role)
  if (unknown) report(`the role "${unknown}" is unknown, and is not imported`)
  if (isUnreadableTime(source.createdAt)) report("the time of creation can't be read: that of the import replaces it")
  const createdAt = readTime(source.createdAt) ?? randomness.now()
  const user: UserRow = {
    id,
    name: name ?? 'User',
    email,
    emailVerified: isVerified ? 1 : 0,
    image: image ?? null,
    role,
    ...toBan(source, randomness.now(), report),
    createdAt,
    updatedAt: readTime(source.updatedAt) ?? createdAt,
    properties: '{}',
    twoFactorEnabled: secondStep ? 1 : 0,
  }
  const account = planPassword(randomness, user, source.accounts, report)
  const passkeys = planPasskeys(randomness, id, source.passkeys, (finding) => findings.push(finding))
  if (passkeys.length > PASSKEYS_PER_USER_MAXIMUM)
    report(
      `there are more passkeys than the limit of ${PASSKEYS_PER_USER_MAXIMUM}: all are imported, and no other one can be added`,
    )
  if (!account && passkeys.length === 0)
    report('there is no password: the user sets one with a link of "Forgot password"')
  return { user, account, passkeys, secondStep, findings }
}

function findAnonymity({ isAnonymous }: SourceUser): string | undefined {
  const flag = readFlag(isAnonymous)
  if (flag === undefined) return 'the column "isAnonymous" can\'t be read: anonymous users are not imported'
  return flag ? 'anonymous users are not imported' : undefined
}

function toBan({ banned, banReason, banExpires }: SourceUser, now: number, report: (problem: string) => void) {
  const expiresAt = readTime(banExpires) ?? null
  const isBanned = readFlag(banned)
  if (isBanned === false || (expiresAt !== null && expiresAt <= now)) return NOT_BANNED
  if (isBanned === undefined) report('the column "banned" can\'t be read: the user is banned')
  if (isUnreadableTime(banExpires)) report("the end of the ban can't be read: the user stays banned")
  const reason = toLine(banReason, BAN_REASON_LENGTH_MAXIMUM)
  if (banReason && reason === undefined) report('the reason of the ban is refused, and is not imported')
  return { banned: 1, banReason: reason ?? null, banExpires: expiresAt }
}
