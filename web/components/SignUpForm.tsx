import { useState } from 'react'
import { authentication } from '../api/authentication.ts'
import type { Invitation } from '../api/own-endpoints.ts'
import { canUsePasskeys, signUpWithPasskey } from '../api/passkeys.ts'
import { forgetVisitor } from '../api/queries.ts'
import { replaceWith } from '../routing/navigation.ts'
import { EmailField } from './EmailField.tsx'
import { EntryForm } from './EntryForm.tsx'
import { NameField } from './NameField.tsx'
import { NewPasswordField } from './NewPasswordField.tsx'

type SignUpFormProps = { invitation: Invitation; onJoined: () => void }

/** Makes the account, by password or passkey, and joins the organization. If only joining fails, the invitation's page tells why. */
export function SignUpForm({ invitation, onJoined }: SignUpFormProps) {
  const [isByPasskey, setByPasskey] = useState(false)

  async function signUp(value: (name: string) => string) {
    const name = value('name').trim()
    if (isByPasskey) await signUpWithPasskey(name)
    else await authentication.signUp.email({ name, email: invitation.email, password: value('password') })
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
    <>
      <EntryForm
        send={signUp}
        onDone={goOn}
        submitLabel={isByPasskey ? 'Create account with a passkey' : 'Create account'}
        pendingLabel={isByPasskey ? 'Follow your browser…' : 'Creating your account…'}
      >
        <EmailField defaultValue={invitation.email} isReadOnly hint="The invitation was sent to this address." />
        <NameField />
        {!isByPasskey && <NewPasswordField name="password" label="Password" />}
      </EntryForm>
      {canUsePasskeys && (
        <button type="button" className="button button-quiet" onClick={() => setByPasskey(!isByPasskey)}>
          {isByPasskey ? 'Use a password instead' : 'Use a passkey instead of a password'}
        </button>
      )}
    </>
  )
}
