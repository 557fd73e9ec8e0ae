import { useQuery } from '@tanstack/react-query'
import { authentication } from '../shared/api/authentication.ts'
import { queryClient } from '../shared/api/queries.ts'
import { FailureNotice } from '../shared/components/FailureNotice.tsx'
import { Loading } from '../shared/components/Loading.tsx'
import { CurrentPasswordField } from '../shared/forms/CurrentPasswordField.tsx'
import { Form } from '../shared/forms/Form.tsx'
import { NewPasswordField } from '../shared/forms/NewPasswordField.tsx'
import { NoPassword } from './NoPassword.tsx'
import { hasPasswordQuery } from './queries.ts'

export function PasswordSection({ email }: { email: string }) {
  const { data: hasPassword, error, isPending, refetch } = useQuery(hasPasswordQuery)
  return (
    <section className="card" aria-labelledby="password">
      <h2 id="password">Password</h2>
      {isPending && <Loading />}
      {error && <FailureNotice error={error} retry={refetch} />}
      {hasPassword === true && <ChangePassword email={email} />}
      {hasPassword === false && <NoPassword email={email} />}
    </section>
  )
}

function ChangePassword({ email }: { email: string }) {
  return (
    <Form
      send={(value) =>
        authentication.changePassword({
          currentPassword: value('currentPassword'),
          newPassword: value('newPassword'),
          revokeOtherSessions: true,
        })
      }
      onDone={() => queryClient.invalidateQueries()}
      doneNotice={() => 'Your password is changed. You were signed out on all other devices.'}
      isCleared
      submitLabel="Change password"
      pendingLabel="Changing…"
    >
      {/* Password managers need the account of the password. */}
      <input type="email" autoComplete="username" value={email} readOnly hidden />
      <CurrentPasswordField name="currentPassword" label="Current password" />
      <NewPasswordField name="newPassword" label="New password" />
    </Form>
  )
}
