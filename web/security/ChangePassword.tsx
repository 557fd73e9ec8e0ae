import { authentication } from '../shared/api/authentication.ts'
import { refreshPages } from '../shared/api/queries.ts'
import { CurrentPasswordField } from '../shared/forms/CurrentPasswordField.tsx'
import { Form } from '../shared/forms/Form.tsx'
import { NewPasswordField } from '../shared/forms/NewPasswordField.tsx'
import { UsernameOfPassword } from '../shared/forms/UsernameOfPassword.tsx'

type ChangePasswordProps = { user: { name: string; email: string }; onDone: (notice: string) => void }

export function ChangePassword({ user, onDone }: ChangePasswordProps) {
  function finish() {
    refreshPages()
    onDone('Your password is changed. You were signed out on all other devices.')
  }

  return (
    <Form
      send={(value) =>
        authentication.changePassword({
          currentPassword: value('currentPassword'),
          newPassword: value('newPassword'),
          revokeOtherSessions: true,
        })
      }
      onDone={finish}
      submitLabel="Change password"
      pendingLabel="Changing…"
    >
      <UsernameOfPassword email={user.email} />
      <CurrentPasswordField name="currentPassword" label="Current password" />
      <NewPasswordField name="newPassword" label="New password" owner={user} />
    </Form>
  )
}
