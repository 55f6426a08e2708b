package reapitest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// An authority signs the certificates of one server and of its clients.
type authority struct {
	pool   *x509.CertPool
	server tls.Certificate
	file   string // its own certificate

	cert, key                 string // files of a client that it knows
	strangerCert, strangerKey string // files of one that another authority knows
}

// Authority is the file of the certificate that a client has to trust.
func (s *Server) Authority() string { return s.tls.file }

// Client returns the files of a certificate that the server accepts, and of its key.
func (s *Server) Client() (cert, key string) { return s.tls.cert, s.tls.key }

// Stranger returns the files of a certificate that it does not accept, and of its key.
func (s *Server) Stranger() (cert, key string) { return s.tls.strangerCert, s.tls.strangerKey }

func newAuthority(t testing.TB) *authority {
	t.Helper()
	dir := t.TempDir()
	a := &authority{
		pool: x509.NewCertPool(), file: filepath.Join(dir, "ca.pem"),
		cert: filepath.Join(dir, "client.pem"), key: filepath.Join(dir, "client.key"),
		strangerCert: filepath.Join(dir, "stranger.pem"), strangerKey: filepath.Join(dir, "stranger.key"),
	}
	ca, other := newSigner(t), newSigner(t)
	a.pool.AddCert(ca.cert)
	writePEM(t, a.file, "CERTIFICATE", ca.cert.Raw)
	var err error
	if a.server, err = tls.X509KeyPair(ca.sign(t, x509.ExtKeyUsageServerAuth)); err != nil {
		t.Fatal(err)
	}
	for _, one := range []struct {
		by        signer
		cert, key string
	}{{ca, a.cert, a.key}, {other, a.strangerCert, a.strangerKey}} {
		cert, key := one.by.sign(t, x509.ExtKeyUsageClientAuth)
		write(t, one.cert, cert)
		write(t, one.key, key)
	}
	return a
}

// A signer has a certificate that it signed itself.
type signer struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newSigner(t testing.TB) signer {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	form := certificate("reapitest")
	form.IsCA, form.BasicConstraintsValid = true, true
	form.KeyUsage = x509.KeyUsageCertSign
	der, err := x509.CreateCertificate(rand.Reader, form, form, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return signer{cert, key}
}

// sign makes a certificate for the loopback, and its key, both as PEM.
func (s signer) sign(t testing.TB, usage x509.ExtKeyUsage) (cert, key []byte) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	form := certificate("loopback")
	form.ExtKeyUsage = []x509.ExtKeyUsage{usage}
	form.IPAddresses, form.DNSNames = []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback}, []string{"localhost"}
	der, err := x509.CreateCertificate(rand.Reader, form, s.cert, &private.PublicKey, s.key)
	if err != nil {
		t.Fatal(err)
	}
	pkcs, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs})
}

func certificate(name string) *x509.Certificate {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		panic(err) // the random generator of the system
	}
	return &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
	}
}

func writePEM(t testing.TB, file, kind string, der []byte) {
	t.Helper()
	write(t, file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

func write(t testing.TB, file string, content []byte) {
	t.Helper()
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
}
