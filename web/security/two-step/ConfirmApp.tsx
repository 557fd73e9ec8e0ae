import { CodeForm } from '../../shared/two-step/CodeForm.tsx'
import { KeyOfApp } from './KeyOfApp.tsx'

type ConfirmAppProps = { totpURI: string; createdAt: string; onDone: () => void }

/** The first code verifies that the app has the key. */
export function ConfirmApp({ totpURI, createdAt, onDone }: ConfirmAppProps) {
  return (
    <>
      <KeyOfApp totpURI={totpURI} />
      <p>Then enter the code that the app shows.</p>
      <CodeForm kind="totp" submitLabel="Turn on" setupCreatedAt={createdAt} onDone={onDone} />
    </>
  )
}
