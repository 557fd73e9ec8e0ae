import { useQuery } from '@tanstack/react-query'
import { authentication } from '../shared/api/authentication.ts'
import { FailureNotice } from '../shared/components/FailureNotice.tsx'
import { day } from '../shared/format/moment.ts'
import { withDestination } from '../shared/routing/with-destination.ts'
import { ChangePassword } from './ChangePassword.tsx'
import { EmailedLink } from './EmailedLink.tsx'
import { passwordQuery } from './queries.ts'
import { LoadingSetting, SettingRow } from './SettingRow.tsx'

type PasswordSectionProps = { user: { name: string; email: string } }

export function PasswordSection({ user }: PasswordSectionProps) {
  const { data: password, error, refetch } = useQuery(passwordQuery)
  // An open row stays: a later failure must not take its passwords away.
  if (password === undefined) return error ? <FailureNotice error={error} retry={refetch} /> : <LoadingSetting />
  return (
    <SettingRow
      id="password"
      title="Password"
      summary={password ? `Changed ${day(password.updatedAt)}` : 'You sign in without a password.'}
      label={password ? 'Change' : 'Choose one'}
      about={password ? 'your password' : 'as your password'}
    >
      {(close) => (password ? <ChangePassword user={user} onDone={close} /> : <NoPassword email={user.email} />)}
    </SettingRow>
  )
}

function NoPassword({ email }: { email: string }) {
  return (
    <EmailedLink
      offer={<p>If you want a password as well, we’ll send you a link to choose it.</p>}
      sentNotice={`An email is on its way to ${email}. Its link works for an hour.`}
      send={() => authentication.requestPasswordReset({ email, redirectTo: withDestination('/reset-password') })}
    />
  )
}
