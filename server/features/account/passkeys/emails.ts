import { nameForEmail } from '../../../platform/http/names.ts'
import { type Circumstances, describeCircumstances } from '../../../platform/mail/circumstances.ts'
import type { Email } from '../../../platform/mail/email.ts'

interface PasskeyChange {
  change: 'added' | 'deleted'
  recipient: string
  passkeyName: string
  circumstances: Circumstances
  baseUrl: string
}

const CONSEQUENCES = {
  added: 'It can now sign in to your account.',
  deleted: 'It no longer opens your account, and every other session was signed out.',
}

export function passkeyChangedEmail({ change, recipient, passkeyName, circumstances, baseUrl }: PasskeyChange): Email {
  const name = nameForEmail(passkeyName, 'without a name')
  return {
    kind: `passkey ${change}`,
    recipient,
    subject: `A passkey was ${change}: ${name}`,
    heading: `A passkey was ${change}`,
    paragraphs: [`The passkey “${name}” was ${change}. ${CONSEQUENCES[change]}`, describeCircumstances(circumstances)],
    action: { label: 'See your passkeys', url: `${baseUrl}/account/security` },
    // After a sign-in with the password alone, the security page may refuse to delete a passkey of an intruder.
    footnote: `If it was you, there is nothing to do. If it was not, an intruder has used your account: set a new password at ${baseUrl}/forgot-password. That page shows your passkeys: remove those that are not yours.`,
  }
}
