export const View = ({ name }: Props) => {
  return (
    <div className="a">{name}</div>
  );
};

export function App() {
  return <View name="x" />;
}
