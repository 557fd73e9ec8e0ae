import { authentication } from '../shared/api/authentication.ts'
import { queryClient } from '../shared/api/queries.ts'
import { CurrentPasswordField } from '../shared/forms/CurrentPasswordField.tsx'
import { Form } from '../shared/forms/Form.tsx'
import { NewPasswordField } from '../shared/forms/NewPasswordField.tsx'

type ChangePasswordProps = { user: { name: string; email: string }; onDone: (notice: string) => void }

export function ChangePassword({ user, onDone }: ChangePasswordProps) {
  function finish() {
    queryClient.invalidateQueries()
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
      {/* Password managers need the account of the password. */}
      <input type="email" autoComplete="username" value={user.email} readOnly hidden />
      <CurrentPasswordField name="currentPassword" label="Current password" />
      <NewPasswordField name="newPassword" label="New password" owner={user} />
    </Form>
  )
}
