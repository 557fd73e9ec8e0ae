import { authentication } from '../shared/api/authentication.ts'
import { EmailField } from '../shared/forms/EmailField.tsx'
import { Form } from '../shared/forms/Form.tsx'
import { SettingRow } from './SettingRow.tsx'

export function ChangeEmailSection({ email }: { email: string }) {
  return (
    <SettingRow
      id="email"
      title="Email address"
      summary={
        <>
          You sign in with <strong>{email}</strong>.
        </>
      }
      label="Change"
      about="your email address"
    >
      {(close) => (
        <Form
          send={async (value) => {
            const newEmail = value('newEmail').trim()
            await authentication.changeEmail({ newEmail })
            return newEmail
          }}
          onDone={(newEmail) =>
            close(
              `Look in the new mailbox: if ${newEmail} can be used, an email with a link is on its way there. Your address changes when you use the link, within an hour.`,
            )
          }
          submitLabel="Change address"
          pendingLabel="Sending an email…"
        >
          <EmailField name="newEmail" label="New email address" autoComplete="email" />
        </Form>
      )}
    </SettingRow>
  )
}
