import { encodeQR } from 'qr'

const QUIET_ZONE = 4

/** The page draws the QR code itself: another service that draws QR codes would learn the key. */
export function QrCode({ text }: { text: string }) {
  const rows = encodeQR(text, 'raw', { border: QUIET_ZONE, ecc: 'medium' })
  const squares = rows.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : [])))
  return (
    <svg viewBox={`0 0 ${rows.length} ${rows.length}`} role="img" aria-label="QR code with the key">
      <rect width="100%" height="100%" fill="#fff" />
      <path d={squares.join('')} fill="#000" shapeRendering="crispEdges" />
    </svg>
  )
}
