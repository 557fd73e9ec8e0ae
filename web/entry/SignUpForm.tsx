import { useState } from 'react'
import { useLocation } from 'wouter'
import type { Invitation } from '../invitations/queries.ts'
import { authentication } from '../shared/api/authentication.ts'
import { canUsePasskeys } from '../shared/api/passkey-sign-in.ts'
import { signUpWithPasskey } from '../shared/api/passkeys.ts'
import { forgetSession } from '../shared/api/tabs.ts'
import { useIsSending } from '../shared/api/use-is-sending.ts'
import type { Sentences } from '../shared/format/failure-sentence.ts'
import { EmailField } from '../shared/forms/EmailField.tsx'
import { Form } from '../shared/forms/Form.tsx'
import { NameField } from '../shared/forms/NameField.tsx'
import { NewPasswordField } from '../shared/forms/NewPasswordField.tsx'

/** Another tab may have opened another invitation, or the hour of this one is over. */
const SENTENCES: Sentences = {
  INVITATION_REQUIRED: 'This invitation is no longer open in this browser. Open the link in its email again.',
}

type SignUpFormProps = { invitation: Invitation; onSending: (isSending: boolean) => void; onJoined: () => void }

/** Signs up by password or passkey, then accepts the invitation. If that fails, the invitation page tells why. */
export function SignUpForm({ invitation, onSending, onJoined }: SignUpFormProps) {
  const [, navigate] = useLocation()
  const [isByPasskey, setByPasskey] = useState(false)
  const isSending = useIsSending()

  async function signUp(value: (name: string) => string) {
    const name = value('name').trim()
    onSending(true)
    try {
      if (isByPasskey) await signUpWithPasskey(name, invitation.email)
      else await authentication.signUp.email({ name, email: invitation.email, password: value('password') })
    } catch (error) {
      onSending(false)
      throw error
    }
    return authentication.organization.acceptInvitation({ invitationId: invitation.id }).then(
      () => true,
      () => false,
    )
  }

  function goOn(hasJoined: boolean) {
    forgetSession()
    if (hasJoined) onJoined()
    else navigate('/invitation', { replace: true })
  }

  return (
    <>
      <Form
        send={signUp}
        onDone={goOn}
        submitLabel={isByPasskey ? 'Create account with a passkey' : 'Create account'}
        pendingLabel={isByPasskey ? 'Follow your browser…' : 'Creating your account…'}
        sentences={SENTENCES}
      >
        <EmailField defaultValue={invitation.email} isReadOnly hint="The invitation was sent to this address." />
        <NameField />
        {!isByPasskey && (
          <NewPasswordField
            name="password"
            label="Password"
            owner={{ organizationNames: [invitation.organizationName] }}
          />
        )}
      </Form>
      {canUsePasskeys && (
        <button
          type="button"
          className="button button-quiet"
          // A refusal of the password would be lost, and the password too.
          aria-disabled={isSending}
          // The second click of a double click may be for the button above: it moves when its errors vanish.
          onClick={({ detail }) => detail < 2 && !isSending && setByPasskey(!isByPasskey)}
        >
          {isByPasskey ? 'Use a password instead' : 'Use a passkey instead of a password'}
        </button>
      )}
    </>
  )
}
