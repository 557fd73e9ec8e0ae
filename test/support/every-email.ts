import { passwordSetByStaffEmail } from '../../server/core/credentials/password-set-email.ts'
import { newDeviceEmail, unfinishedSignInEmail } from '../../server/core/devices/new-device-email.ts'
import * as deletion from '../../server/features/account/deletion/emails.ts'
import * as email from '../../server/features/account/email/emails.ts'
import { passkeyChangedEmail } from '../../server/features/account/passkeys/emails.ts'
import * as password from '../../server/features/account/passwords/emails.ts'
import * as twoStep from '../../server/features/account/two-step/emails.ts'
import { invitationEmail } from '../../server/features/organizations/invitations/emails.ts'
import * as members from '../../server/features/organizations/members/emails.ts'
import { organizationDeletedEmail } from '../../server/features/organizations/organizations/emails.ts'
import { testEmail } from '../../server/features/staff/emails/send-test-email.ts'
import { twoStepResetEmail } from '../../server/features/staff/two-step/emails.ts'
import * as staff from '../../server/features/staff/users/emails.ts'
import type { Email } from '../../server/platform/mail/email.ts'

const BASE_URL = 'https://accounts.example.com'
const LINK = `${BASE_URL}/reset-password#token=7ZB0cQ1nUO4fXq2pYcVw9sT3kLmR8eJdHgA5uNi6bWo`
const HIRE = 'hilda.hire@example.com'
/** The longest email address and name that the service accepts, without a space. */
const LONG = `${'a'.repeat(64)}@${'b'.repeat(60)}.${'c'.repeat(60)}.example`

const circumstances = {
  at: Date.UTC(2026, 10, 21, 9, 30),
  ipAddress: '2001:db8:85a3:8d3:1319:8a2e:370:7348',
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0',
}
const passkeys = [
  { name: 'The laptop in the kitchen', createdAt: Date.UTC(2025, 2, 12) },
  { name: 'iPhone', createdAt: Date.UTC(2026, 8, 1) },
]
const passkey = { recipient: HIRE, passkeyName: 'iPhone', circumstances, baseUrl: BASE_URL }
const invitation = {
  recipient: HIRE,
  inviterName: 'Ada Admin',
  inviterEmail: 'ada@example.com',
  role: 'member' as const,
}
const link = `${BASE_URL}/invite/inv_019c2f6a7b3e7d10.7ZB0cQ1nUO4fXq2pYcVw9sT3kLmR8eJdHgA5uNi6bWo`

const transfer = {
  recipient: HIRE,
  organizationId: 'org_1',
  organizationName: 'Example Works',
  otherName: 'Ada Admin',
}

const deletedOrganization = { recipient: HIRE, organizationName: 'Example Works', deleterName: 'Ada Admin' }
/** The emails of every kind, each in its longest form. */
export const everyEmail: Email[] = [
  email.emailVerificationEmail(HIRE, LINK),
  email.emailChangeEmail(HIRE, LINK, circumstances),
  email.emailChangeRequestedEmail(HIRE, `${BASE_URL}/account/security`, circumstances),
  email.unverifiedEmailChangedEmail(HIRE),
  email.emailChangedEmail(HIRE, LONG, LINK, circumstances),
  email.emailRestoredEmail(HIRE, LINK, 'totp', circumstances),
  email.emailRestoredEmail(HIRE, LINK, 'off', circumstances),
  email.emailChangedBackEmail(HIRE),
  email.emailChangeUndoneEmail(HIRE),
  email.setPasswordEmail(HIRE, LINK, true),
  newDeviceEmail(HIRE, `${BASE_URL}/account/security`, circumstances),
  unfinishedSignInEmail(HIRE, `${BASE_URL}/account/security`, circumstances),
  passkeyChangedEmail({ change: 'added', ...passkey }),
  passkeyChangedEmail({ change: 'deleted', ...passkey }),
  twoStep.twoStepEnabledEmail('otp', BASE_URL, circumstances),
  twoStep.twoStepDisabledEmail(BASE_URL, circumstances),
  twoStep.secondStepLockedEmail(BASE_URL, circumstances),
  twoStep.recoveryCodeUsedEmail(9, BASE_URL, circumstances),
  twoStep.recoveryCodesCreatedEmail(BASE_URL, circumstances),
  twoStep.totpSecretShownEmail(HIRE, BASE_URL, circumstances),
  twoStep.secondStepCodeEmail(HIRE, '287082', circumstances),
  password.resetPasswordEmail(HIRE, LINK, circumstances),
  password.passwordChangedEmail(HIRE, BASE_URL, { passkeys, hasApps: true }, circumstances),
  password.passwordResetEmail(HIRE, BASE_URL, { passkeys, hasApps: true, isTwoStepOff: true }, circumstances),
  deletion.userDeletionEmail(HIRE, LINK, circumstances),
  deletion.userDeletedEmail(HIRE, circumstances),
  staff.userDeletedByStaffEmail(HIRE),
  invitationEmail({ ...invitation, organizationName: 'Example Works', link }),
  invitationEmail({
    ...invitation,
    inviterName: 'N'.repeat(100),
    inviterEmail: LONG,
    organizationName: 'O'.repeat(100),
    link,
  }),
  staff.accountCreatedEmail({ recipient: HIRE, name: 'Hilda Hire', link: LINK }),
  passwordSetByStaffEmail(HIRE, BASE_URL, { passkeys, hasApps: true, isTwoStepOff: true }),
  staff.emailSetByStaffEmail(HIRE, LONG),
  staff.unverifiedEmailSetByStaffEmail(HIRE),
  staff.passwordLinkByStaffEmail(HIRE, LINK),
  twoStepResetEmail(HIRE, BASE_URL),
  testEmail(HIRE),
  organizationDeletedEmail(deletedOrganization),
  organizationDeletedEmail(deletedOrganization, circumstances),
  members.ownershipReceivedEmail(transfer),
  members.ownershipGivenEmail(transfer, circumstances),
  members.ownershipEndedEmail(transfer, 'admin'),
  members.ownershipEndedEmail(transfer, 'admin', circumstances),
  members.ownershipEndedEmail(transfer, null),
]
