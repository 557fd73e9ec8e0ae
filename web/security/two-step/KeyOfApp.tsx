import { CopyField } from '../../shared/components/CopyField.tsx'

/** The key as a link for this device, and as text. */
export function KeyOfApp({ totpURI }: { totpURI: string }) {
  const key = new URL(totpURI).searchParams.get('secret') ?? ''
  return (
    <>
      <p>Add this key to an authenticator app, for example the one that you use for other sites.</p>
      <p className="soft">
        Is the app on this device? <a href={totpURI}>Open it with the key</a>, or copy the key:
      </p>
      <CopyField label="Key" value={inGroups(key)} />
    </>
  )
}

/** Groups of four are easy to type. Apps ignore the spaces. */
function inGroups(key: string): string {
  return key.replace(/(.{4})(?=.)/g, '$1 ')
}
