import { authentication } from '../api/authentication.ts'
import type { Invitation } from '../api/own-endpoints.ts'
import { forgetVisitor } from '../api/queries.ts'
import { replaceWith } from '../routing/navigation.ts'
import { EmailField } from './EmailField.tsx'
import { EntryForm } from './EntryForm.tsx'
import { NameField } from './NameField.tsx'
import { NewPasswordField } from './NewPasswordField.tsx'

type SignUpFormProps = { invitation: Invitation; onJoined: () => void }

/** Makes the account and joins the organization. If only joining fails, the invitation's page tells why. */
export function SignUpForm({ invitation, onJoined }: SignUpFormProps) {
  async function signUp(value: (name: string) => string) {
    await authentication.signUp.email({
      name: value('name').trim(),
      email: invitation.email,
      password: value('password'),
    })
    return authentication.organization.acceptInvitation({ invitationId: invitation.id }).then(
      () => true,
      () => false,
    )
  }

  function goOn(hasJoined: boolean) {
    forgetVisitor()
    if (hasJoined) onJoined()
    else replaceWith('/invitation')
  }

  return (
    <EntryForm send={signUp} onDone={goOn} submitLabel="Create account" pendingLabel="Creating your account…">
      <EmailField defaultValue={invitation.email} isReadOnly hint="The invitation was sent to this address." />
      <NameField />
      <NewPasswordField name="password" label="Password" />
    </EntryForm>
  )
}
