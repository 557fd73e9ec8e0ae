import { useState } from 'react'
import { authentication } from '../api/authentication.ts'
import { queryClient } from '../api/queries.ts'
import { CurrentPasswordField } from './CurrentPasswordField.tsx'
import { EntryForm } from './EntryForm.tsx'
import { NewPasswordField } from './NewPasswordField.tsx'
import { Notice } from './Notice.tsx'

export function ChangePassword({ email }: { email: string }) {
  const [changes, setChanges] = useState(0)

  function empty() {
    setChanges(changes + 1)
    queryClient.invalidateQueries()
  }

  return (
    <section className="card" aria-labelledby="password">
      <h2 id="password">Password</h2>
      {changes > 0 && (
        <Notice kind="success">Your password is changed. On all other devices you were signed out.</Notice>
      )}
      <EntryForm
        key={changes}
        send={(value) =>
          authentication.changePassword({
            currentPassword: value('currentPassword'),
            newPassword: value('newPassword'),
            revokeOtherSessions: true,
          })
        }
        onDone={empty}
        submitLabel="Change password"
        pendingLabel="Changing…"
      >
        {/* Password managers look for the account that a new password belongs to. */}
        <input type="email" autoComplete="username" value={email} readOnly hidden />
        <CurrentPasswordField name="currentPassword" label="Current password" />
        <NewPasswordField name="newPassword" label="New password" />
      </EntryForm>
    </section>
  )
}
