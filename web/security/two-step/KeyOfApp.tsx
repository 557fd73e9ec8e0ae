import { Suspense } from 'react'
import { ChunkBoundary } from '../../shared/components/ChunkBoundary.tsx'
import { CopyField } from '../../shared/components/CopyField.tsx'
import { lazyComponent } from '../../shared/components/chunk-component.ts'

const QrCode = lazyComponent(async () => (await import('./QrCode.tsx')).QrCode)

export function KeyOfApp({ totpURI }: { totpURI: string }) {
  const key = new URL(totpURI).searchParams.get('secret') ?? ''
  return (
    <>
      <p>Scan this QR code with an authenticator app, for example the one that you use for other sites.</p>
      <div className="qr-code">
        {/* Without the picture, the key below is enough. */}
        <ChunkBoundary fallback={null}>
          <Suspense fallback={null}>
            <QrCode text={totpURI} />
          </Suspense>
        </ChunkBoundary>
      </div>
      <p className="soft">
        Is the app on this device? <a href={totpURI}>Open it with the key</a>, or copy the key:
      </p>
      <CopyField label="Key" value={inGroups(key)} isWrapped />
    </>
  )
}

/** Groups of four are easy to type. Apps ignore the spaces. */
function inGroups(key: string): string {
  return key.replace(/(.{4})(?=.)/g, '$1 ')
}
