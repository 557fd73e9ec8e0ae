import { CodeForm } from '../../shared/two-step/CodeForm.tsx'
import { KeyOfApp } from './KeyOfApp.tsx'

/** The first code verifies that the app has the key. */
export function ConfirmApp({ totpURI, onDone }: { totpURI: string; onDone: () => void }) {
  return (
    <>
      <KeyOfApp totpURI={totpURI} />
      <p>Then enter the code that the app shows.</p>
      <CodeForm kind="totp" submitLabel="Turn on" onDone={onDone} />
    </>
  )
}
