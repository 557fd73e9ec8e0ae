export function CloseNotice({ onClose }: { onClose: () => void }) {
  return (
    <button type="button" className="text-button" onClick={onClose}>
      Close<span className="visually-hidden"> the notice</span>
    </button>
  )
}
